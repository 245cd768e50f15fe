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

const OAUTH =
  "{ name: 'Example', issuer: 'https://a.example', clientId: 'a', origins: ['https://a.example'] }"

const embeddedWith = (features = '') =>
  `auth: embedded({ login: passphrase(), scopes: { read: 'Read' }${features} })`
const EXTERNAL =
  "auth: external({ issuers: [{ issuer: 'https://login.example.com' }], scopes: { read: 'Read' } })"

const APPS: readonly SizedApp[] = [
  { app: 'no features', recorded: 79_986 },
  { app: 'keyring()', options: 'features: [keyring()]', recorded: 88_242 },
  { app: 'asks()', options: 'features: [asks()]', recorded: 99_038 },
  {
    app: 'sessions()',
    options: 'features: [sessions()]',
    recorded: 126_611,
  },
  {
    app: 'sessions() and changes()',
    options: 'features: [sessions(), changes()]',
    recorded: 132_973,
  },
  { app: 'changes()', options: 'features: [changes()]', recorded: 90_313 },
  {
    app: 'tasks()',
    options: 'features: [tasks()]',
    recorded: 128_939,
  },
  {
    app: 'events()',
    options: 'features: [events({ types: [] })]',
    recorded: 114_469,
  },
  {
    app: 'state()',
    options: 'features: [state()]',
    recorded: 103_498,
  },
  {
    app: 'files()',
    options: 'features: [files()]',
    recorded: 120_699,
  },
  { app: 'code()', options: 'features: [code()]', recorded: 118_940 },
  { app: 'skills()', options: 'features: [skills()]', recorded: 81_002 },
  { app: 'apps()', options: 'features: [apps()]', recorded: 80_328 },
  { app: 'landingPage()', options: 'features: [landingPage()]', recorded: 87_882 },
  {
    app: 'serverCard()',
    options: "features: [serverCard({ name: 'com.example/sized', description: 'Adds.' })]",
    recorded: 83_924,
  },
  { app: 'proofs()', options: 'features: [proofs({})]', recorded: 80_652 },
  { app: 'health()', options: 'features: [health()]', recorded: 81_182 },
  { app: 'rateLimits()', options: 'features: [rateLimits()]', recorded: 82_293 },
  { app: 'search()', options: 'features: [search()]', recorded: 88_113 },
  {
    app: 'timeline()',
    options: 'features: [timeline()]',
    recorded: 99_720,
  },
  {
    app: 'keyring() and timeline()',
    options: 'features: [keyring(), timeline()]',
    recorded: 105_251,
  },
  { app: 'admin()', options: 'features: [admin()]', recorded: 84_628 },
  {
    app: 'inspector()',
    options: 'features: [inspector()]',
    recorded: 177_557,
  },
  { app: 'verifier()', options: 'auth: verifier(() => undefined)', recorded: 82_562 },
  { app: 'external()', options: EXTERNAL, recorded: 90_217 },
  { app: 'embedded()', options: embeddedWith(), recorded: 141_788 },
  {
    app: 'embedded() with personalAccessTokens()',
    options: embeddedWith(', features: [personalAccessTokens()]'),
    recorded: 144_728,
  },
  {
    app: 'embedded() with dpop()',
    options: embeddedWith(', features: [dpop()]'),
    recorded: 149_435,
  },
  {
    app: 'embedded() with privateKeyJwt()',
    options: embeddedWith(', features: [privateKeyJwt()]'),
    recorded: 149_714,
  },
  {
    app: 'embedded(), sessions() and changes()',
    options: `${embeddedWith()}, features: [sessions(), changes()]`,
    recorded: 187_559,
  },
  {
    app: 'embedded() and asks()',
    options: `${embeddedWith()}, features: [asks()]`,
    recorded: 153_914,
  },
  {
    app: 'embedded() and connections()',
    options: `${embeddedWith()}, features: [connections({ example: oauth(${OAUTH}) })]`,
    recorded: 170_692,
  },
  {
    app: 'embedded() and connections() with presets and signedAssertion()',
    options: `${embeddedWith()}, features: [connections({ example: oauth({ ...${OAUTH}, clientAssertion: signedAssertion({ key: 'k' }) }), a: github({ clientId: 'a', clientSecret: 'b' }), b: google({ clientId: 'a' }), c: apiKey({ verify: () => undefined, origins: ['https://a.example'] }) })]`,
    recorded: 173_856,
  },
]

const HANDLER = { recorded: 111_976 }

/** The entries of values that are not in one of their own. */
const ENTRIES: Readonly<Record<string, string>> = {
  asks: 'edgeway',
  dpop: 'edgeway/auth',
  apiKey: 'edgeway/auth',
  embedded: 'edgeway/auth',
  external: 'edgeway/auth',
  github: 'edgeway/auth',
  google: 'edgeway/connections',
  oauth: 'edgeway/connections',
  signedAssertion: 'edgeway/connections',
  connections: 'edgeway/connections',
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
