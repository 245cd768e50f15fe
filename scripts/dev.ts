/**
 * `npm run dev`: the notebook in `wrangler dev`, and, once it answers, how to call it in one paste.
 * Further arguments go to wrangler: `npm run dev -- --port 8080`.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const args = process.argv.slice(2)
const portFlag = args.indexOf('--port')
const port = portFlag === -1 ? '8787' : (args[portFlag + 1] ?? '8787')
const url = `http://localhost:${port}/mcp`

const wrangler = spawn('wrangler', ['dev', ...(portFlag === -1 ? ['--port', port] : []), ...args], {
  stdio: 'inherit',
})
wrangler.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => wrangler.kill(signal))

while (!(await isReady())) await sleep(300)
process.stdout.write(`
The notebook is at ${url}

Write a note, from another terminal, in one paste:

  curl -s ${url} \\
    -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/call' -H 'mcp-name: write_note' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note",
         "arguments":{"title":"First note","body":"It works."},
         "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'

Or connect a client:  claude mcp add --transport http notebook ${url}

`)

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/`)).ok
  } catch {
    // Not listening yet.
    return false
  }
}
