"""Caption prediction: ground truth, submissions and the metrics of captions."""
