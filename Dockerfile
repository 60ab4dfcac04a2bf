# The dashboard in a container:
#   docker build -t lincore . && docker run --rm -p 8501:8501 lincore
FROM python:3.12-slim
RUN useradd --create-home lincore
WORKDIR /home/lincore/app
# Versions as tested; requirements.txt says which others will do.
COPY requirements.lock .
RUN pip install --no-cache-dir -r requirements.lock
COPY . .
USER lincore
EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://localhost:8501/_stcore/health', timeout=5)"]
CMD ["streamlit", "run", "app.py", "--server.headless", "true", "--server.address", "0.0.0.0"]
