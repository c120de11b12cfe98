//! How does a *program* get its place? What numactl is asked for, from words to system calls.
