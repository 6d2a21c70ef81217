"""The Challenge page: ImageCLEF submissions checked and scored."""
