"""What the settings of nn-IoU do: scores against alpha, who leads where, readings, time.

``lines`` a score as alpha grows, ``stability`` maps over alpha and threshold, ``readings`` the scores
under every count rule or direction, ``cost`` the time a relevance takes.
"""
