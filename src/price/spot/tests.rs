mod laws;
mod simulate;
mod traces;
