"""Watches a run and prints what was seen as JSON: python watch_run.py <url> <token> <run>."""

import json
import sys

from agentmesh import AgentMesh, Gap

url, token, run_id = sys.argv[1:]
with AgentMesh(url, token, tries=50, backoff=0.001) as mesh:
    run = mesh.runs.watch(run_id)
    events = [{"gap": event.up_to} if isinstance(event, Gap) else event for event in run]
    print(json.dumps({"events": events, "status": run.final().record["status"]}))
