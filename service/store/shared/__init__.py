"""What every store does alike, above the ports and below the stores."""
