/**
 * `npm run starter -- [--node 20,22,24] [--auth open,github]`: creates a server of each kind on each Node,
 * checks it (types, tests, a deployment that is not uploaded), and examines it with the doctor while
 * `npm run dev` serves it. Prints one line for each, and exits with 1 if one fails.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VIEWS } from '../packages/cli/src/init/add-views.ts'
import { AUTH_NAMES } from '../packages/cli/src/init/auth-choice.ts'
import { findNode } from '../test/support/node/find-node.ts'
import { npmCreate, type Shell, shellOf, type Tarballs } from '../test/support/node/starter.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { endWithUsage, readFlags } from './support/read-flags.ts'

/**
 * The kinds beside those of the sign-in: tools of an API, with one key for all or with that of the caller; and an open
 * server with a view of each kind.
 */
const OPENAPI: Readonly<Record<string, string>> = { openapi: 'open', 'openapi-keys': 'api-key' }

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Parcels', version: '1.0.0' },
  servers: [{ url: 'https://api.example.com' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  security: [{ key: [] }],
  paths: { '/parcels': { get: { operationId: 'list_parcels', responses: {} } } },
}

const USAGE = 'npm run starter -- [--node 20,22,24] [--auth open,github]'
const values = readFlags(USAGE, { node: { type: 'string' }, auth: { type: 'string' } })
const majors = (values.node ?? '20,22,24').split(',').map(Number)
const KINDS: readonly string[] = [...AUTH_NAMES, ...Object.keys(OPENAPI), ...Object.keys(VIEWS)]
const kinds = values.auth?.split(',') ?? KINDS
if (!majors.every(Number.isInteger)) endWithUsage('--node takes major versions', USAGE)
if (!kinds.every((kind) => KINDS.includes(kind))) {
  endWithUsage(`--auth takes ${KINDS.join(', ')}`, USAGE)
}

const folder = mkdtempSync(join(tmpdir(), 'edgeway-starter-'))
try {
  const tarballs = { edgeway: pack('.'), createEdgeway: pack('packages/create-edgeway') }
  writeFileSync(join(folder, 'api.json'), JSON.stringify(DESCRIPTION))
  for (const major of majors) await tryNode(major, tarballs)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function pack(directory: string): string {
  const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(PROJECT_DIRECTORY, directory),
    encoding: 'utf8',
  })
  return join(folder, output.trim().split('\n').at(-1) ?? '')
}

async function tryNode(major: number, tarballs: Tarballs): Promise<void> {
  const node = findNode(major, folder)
  const directory = join(folder, `node-${major}`)
  if (node === undefined) throw new Error(`Node ${major} can be neither found nor installed here`)
  mkdirSync(directory)
  for (const kind of kinds) {
    const start = performance.now()
    const result = await tryKind(shellOf(node), directory, kind, tarballs).catch((error) => {
      process.exitCode = 1
      return `failed: ${error.message}`
    })
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stdout.write(
      `Node ${major}  ${kind.padEnd(12)}${String(seconds).padStart(4)} s  ${result}\n`,
    )
  }
}

async function tryKind(
  { run, serve }: Shell,
  directory: string,
  kind: string,
  tarballs: Tarballs,
): Promise<string> {
  const isView = kind in VIEWS
  const auth = isView ? 'open' : OPENAPI[kind]
  const api = kind in OPENAPI ? ['--openapi', join(folder, 'api.json')] : []
  const views = isView ? ['--views', kind] : []
  await run(
    directory,
    ...npmCreate(tarballs, kind, '--yes', '--auth', auth ?? kind, ...api, ...views),
  )
  const server = join(directory, kind)
  // Kinds without a view have the same packages, which are installed once.
  const packages = join(directory, 'node_modules')
  if (isView) await run(server, 'npm', 'install')
  else if (existsSync(packages)) symlinkSync(packages, join(server, 'node_modules'))
  else {
    await run(server, 'npm', 'install')
    symlinkSync(join(server, 'node_modules'), packages)
  }
  const check = await run(server, 'npm', 'run', 'check')
  const [, tests = ''] = /Tests +(\d+ passed)/.exec(check) ?? []
  const { url, stop } = await serve(server)
  const doctor = async (examined: string) => {
    const report = await run(server, 'npx', 'edgeway', 'doctor', examined, '--json')
    return (JSON.parse(report) as { clients: { connects: boolean; findings: object[] }[] }).clients
  }
  const clients = await doctor(url).finally(stop)
  const findings = [...clients, ...(await doctor('--config'))].flatMap((client) => client.findings)
  if (findings.length > 0) throw new Error(`the doctor finds ${JSON.stringify(findings)}`)
  return `types, ${tests}, dry run; doctor: ${clients.length} clients connect, 0 findings`
}
