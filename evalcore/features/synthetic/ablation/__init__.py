"""Does the index notice what is taken away? Images whose channels are removed one by one."""
