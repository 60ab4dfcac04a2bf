"""Reading what people upload: tables, texts and pictures, step by step."""
