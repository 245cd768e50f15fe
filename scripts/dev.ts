/**
 * `npm run dev`: serves the notebook with `wrangler dev`. Once it answers, prints a command that calls
 * it. Further arguments are passed to wrangler: `npm run dev -- --port 8080`. `--public` serves at a public address.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPublic } from '../packages/cli/src/dev/public-server.ts'
import { authorize } from './support/authorize.ts'
import { onParentExit } from './support/parent.ts'

const args = process.argv.slice(2)
const { port: givenPort } = parseArgs({
  args,
  options: { port: { type: 'string' } },
  strict: false,
}).values
const port = typeof givenPort === 'string' ? givenPort : '8787'
const origin = `http://localhost:${port}`
const url = `${origin}/mcp`

// The sign-in below would be at the other program.
if (await isServed()) {
  process.stderr.write(
    `Another program serves ${origin}. End it, or choose another port: npm run dev -- --port 8788\n`,
  )
  process.exit(1)
}

const portArgs = givenPort === undefined ? ['--port', port] : []
const isPublic = args.includes('--public')
const others = [...portArgs, ...args.filter((each) => each !== '--public')]
// Opens the inspector, and the sign-in without a passphrase, on this computer.
const development = ['--var', 'EDGEWAY_ORIGIN:development']
const wrangler = isPublic
  ? startPublic({ configuration: 'wrangler.toml', args: others, name: 'notebook' })
  : spawn('wrangler', ['dev', ...development, ...others], { stdio: 'inherit' })
wrangler.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => wrangler.kill(signal))
// A program that ends npm does not reach its children, which would keep the port.
onParentExit(() => wrangler.kill('SIGTERM'))

while (!(await isReady())) await sleep(300)
if (!isPublic) {
  process.stdout.write(`
The notebook is at ${url}
${await describeCall()}
Connect a client:    claude mcp add --transport http notebook ${url}
                     (a page asks for consent; on this machine, tick the box and press Allow)
Connected clients:   ${origin}/account

`)
}

/** A `curl` command with an access token from the ordinary authorization flow. */
async function describeCall(): Promise<string> {
  let token: string
  try {
    token = await authorize({ origin })
  } catch {
    // A passphrase is set, so only a person can sign in.
    return ''
  }
  return `
Write a note from another terminal (the token expires after a day):

  curl -s ${url} -H 'authorization: Bearer ${token}' \\
    -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/call' -H 'mcp-name: write_note' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note",
         "arguments":{"title":"First note","body":"It works."},
         "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
`
}

async function isServed(): Promise<boolean> {
  try {
    await fetch(`${origin}/`, { method: 'HEAD' })
    return true
  } catch {
    // The port is free.
    return false
  }
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`${origin}/`)).ok
  } catch {
    // Not listening yet.
    return false
  }
}
