"""The doorbell: tells a worker of a job, and has it do what the actions do. Celery, nothing but."""
