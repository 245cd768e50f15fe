/** The page of the inspector: a client of the server's own JSON and of its MCP endpoint. */
import { render } from 'preact'
import { App } from './app.tsx'
import { completeSignIn } from './client/sign-in.ts'
import { readRoute } from './route.ts'

const root = document.getElementById('inspector')

function show(problem?: string): void {
  if (root === null) return
  readRoute()
  root.replaceChildren()
  render(<App problem={problem} />, root)
}

// The address is restored before the page reads it.
completeSignIn().then(
  () => show(),
  (error: unknown) => show(error instanceof Error ? error.message : String(error)),
)
