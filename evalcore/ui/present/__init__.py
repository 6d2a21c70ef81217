"""Showing the program to others: no sidebar, larger type, nothing that names an image, a tour, a QR code."""
