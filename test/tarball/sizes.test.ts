/**
 * The size of an app with each feature: one tool with zod, bundled as `wrangler deploy --dry-run --minify` of the
 * benchmark does without kept names, and compressed by gzip at level 9. Such a bundle differs by less than 0.1 %.
 */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { installedConsumer } from './installed-consumer.ts'

const { directory } = await installedConsumer()

interface SizedApp {
  readonly app: string
  /** The members of the options, with the names that they import in front of each parenthesis. */
  readonly options?: string
  /** Bytes, as recorded when the app last changed. */
  readonly recorded: number
}

const embeddedWith = (features = '') =>
  `auth: embedded({ login: passphrase(), scopes: { read: 'Read' }${features} })`
const EXTERNAL =
  "auth: external({ issuers: [{ issuer: 'https://login.example.com' }], scopes: { read: 'Read' } })"

const APPS: readonly SizedApp[] = [
  { app: 'no features', recorded: 78_526 },
  { app: 'keyring()', options: 'features: [keyring()]', recorded: 86_360 },
  { app: 'asks()', options: 'features: [asks()]', recorded: 96_640 },
  {
    app: 'sessions()',
    options: 'features: [sessions()]',
    recorded: 124_568,
  },
  {
    app: 'sessions() and changes()',
    options: 'features: [sessions(), changes()]',
    recorded: 131_272,
  },
  { app: 'changes()', options: 'features: [changes()]', recorded: 88_394 },
  {
    app: 'tasks()',
    options: 'features: [tasks()]',
    recorded: 123_697,
  },
  {
    app: 'events()',
    options: 'features: [events({ types: [] })]',
    recorded: 112_420,
  },
  {
    app: 'state()',
    options: 'features: [state()]',
    recorded: 101_230,
  },
  {
    app: 'files()',
    options: 'features: [files()]',
    recorded: 115_463,
  },
  { app: 'code()', options: 'features: [code()]', recorded: 117_142 },
  { app: 'skills()', options: 'features: [skills()]', recorded: 79_677 },
  { app: 'apps()', options: 'features: [apps()]', recorded: 78_932 },
  { app: 'landingPage()', options: 'features: [landingPage()]', recorded: 85_819 },
  {
    app: 'serverCard()',
    options: "features: [serverCard({ name: 'com.example/sized', description: 'Adds.' })]",
    recorded: 82_120,
  },
  { app: 'proofs()', options: 'features: [proofs({})]', recorded: 79_215 },
  { app: 'health()', options: 'features: [health()]', recorded: 79_470 },
  { app: 'rateLimits()', options: 'features: [rateLimits()]', recorded: 80_343 },
  { app: 'search()', options: 'features: [search()]', recorded: 86_547 },
  {
    app: 'timeline()',
    options: 'features: [timeline()]',
    recorded: 97_370,
  },
  {
    app: 'keyring() and timeline()',
    options: 'features: [keyring(), timeline()]',
    recorded: 103_000,
  },
  { app: 'admin()', options: 'features: [admin()]', recorded: 82_820 },
  {
    app: 'inspector()',
    options: 'features: [inspector()]',
    recorded: 158_140,
  },
  { app: 'verifier()', options: 'auth: verifier(() => undefined)', recorded: 80_999 },
  { app: 'external()', options: EXTERNAL, recorded: 88_596 },
  { app: 'embedded()', options: embeddedWith(), recorded: 139_222 },
  {
    app: 'embedded() with personalAccessTokens()',
    options: embeddedWith(', features: [personalAccessTokens()]'),
    recorded: 142_116,
  },
  {
    app: 'embedded() with dpop()',
    options: embeddedWith(', features: [dpop()]'),
    recorded: 146_821,
  },
  {
    app: 'embedded() with privateKeyJwt()',
    options: embeddedWith(', features: [privateKeyJwt()]'),
    recorded: 147_105,
  },
  {
    app: 'embedded(), sessions() and changes()',
    options: `${embeddedWith()}, features: [sessions(), changes()]`,
    recorded: 185_578,
  },
]

const HANDLER = { recorded: 109_580 }

/** The entries of values that are not in one of their own. */
const ENTRIES: Readonly<Record<string, string>> = {
  asks: 'edgeway',
  dpop: 'edgeway/auth',
  embedded: 'edgeway/auth',
  external: 'edgeway/auth',
  keyring: 'edgeway',
  landingPage: 'edgeway/landing-page',
  passphrase: 'edgeway/auth',
  personalAccessTokens: 'edgeway/auth',
  privateKeyJwt: 'edgeway/auth',
  rateLimits: 'edgeway/rate-limits',
  serverCard: 'edgeway/server-card',
  verifier: 'edgeway/auth',
}

/** Imports the values that the options call. */
const importsOf = (options: string) =>
  [...options.matchAll(/\b([a-zA-Z]+)\(/g)]
    .map(([, name = '']) => `import { ${name} } from '${ENTRIES[name] ?? `edgeway/${name}`}'`)
    .join('\n')

const SCHEMA = 'inputSchema: z.object({ a: z.number(), b: z.number() })'

const sourceOf = ({ options = '' }: SizedApp) => `
import * as z from 'zod'
import { createEdgeway, McpServer } from 'edgeway'
${importsOf(options)}
const server = new McpServer({ name: 'sized', version: '1.0.0' })
server.registerTool('add', { ${SCHEMA} }, ({ a, b }) => String(a + b))
const edgeway = createEdgeway(server, { ${options} })
export default edgeway
export class McpObjects extends edgeway.Objects {}
`

const SDK_HANDLER = `
import * as z from 'zod'
import { createMcpHandler, McpServer } from 'edgeway/sdk'
export default createMcpHandler(() => {
  const server = new McpServer({ name: 'sized', version: '1.0.0' })
  server.registerTool('add', { ${SCHEMA} }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  return server
})
`

/** What wrangler replaces in a bundle. */
const REPLACED = {
  'process.env.NODE_ENV': '"production"',
  'global.process.env.NODE_ENV': '"production"',
  'globalThis.process.env.NODE_ENV': '"production"',
  'navigator.userAgent': '"Cloudflare-Workers"',
}

async function gzipBytes(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(directory, 'src'), loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    define: REPLACED,
    logLevel: 'error',
  })
  const [file] = outputFiles
  return gzipSync(file?.contents ?? '', { level: 9 }).byteLength
}

describe('the compressed size', () => {
  it.each(APPS)('of an app with $app is at most 1 % above the recorded one', async (app) => {
    expect(await gzipBytes(sourceOf(app))).toBeLessThanOrEqual(app.recorded * 1.01)
  })

  it('of a handler of edgeway/sdk is at most 1 % above the recorded one', async () => {
    expect(await gzipBytes(SDK_HANDLER)).toBeLessThanOrEqual(HANDLER.recorded * 1.01)
  })
})
