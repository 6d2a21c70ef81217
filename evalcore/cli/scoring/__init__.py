"""What ``score`` takes and gives besides: runs of your own, and tables to take home."""
