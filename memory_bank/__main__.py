"""`python -m memory_bank`: the command line without an installed script."""

from memory_bank.interfaces.cli import main

if __name__ == "__main__":
    main.run()
