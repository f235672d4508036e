"""The operators' pages under /admin. They can be deleted together with their line in `service.ops.server.app`."""
