"""The Concepts page: how concepts are connected, and what that changes."""
