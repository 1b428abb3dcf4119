"""What pages show, as text: whatever is a number or an instant is put into words here, and nowhere else."""
