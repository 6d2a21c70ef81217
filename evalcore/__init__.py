"""CUIscope: what retrieval systems for medical images return, judged by concepts."""
