"""`python -m bench [PART …]`: the same as `oraclewheel bench`."""

from service.cli.commands.bench import command

if __name__ == "__main__":
    command()
