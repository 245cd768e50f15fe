/** A server of the official SDK, in the files that the skill for moving servers leaves to the project. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { codeRowsOf } from '../../../test/support/node/skill-steps.ts'
import { ROOT } from '../../../test/tarball/consumer.ts'

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version

const TOOLS = `import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

export function registerTools(server: McpServer): void {
  server.tool('add_note', 'Adds a note.', { text: z.string() }, async (note) => text(note.text))
  server.registerTool(
    'count_notes',
    {
      title: 'Count notes',
      description: 'Counts the notes with a tag.',
      inputSchema: { tag: z.string() },
      outputSchema: { count: z.number() },
      annotations: { readOnlyHint: true },
    },
    async ({ tag }) => ({ ...text(tag), structuredContent: { count: tag.length } }),
  )
  server.registerPrompt(
    'summarize',
    { argsSchema: { tag: completable(z.string(), (typed) => [typed]) } },
    ({ tag }) => ({ messages: [{ role: 'user', content: { type: 'text', text: tag } }] }),
  )
}
`

/** Signs in without a page, as a provider in front of a test server does. */
const SIGN_IN = `interface Env {
  readonly OAUTH_PROVIDER: {
    parseAuthRequest(request: Request): Promise<{ scope: string[] }>
    completeAuthorization(options: object): Promise<{ redirectTo: string }>
  }
}

export const signIn = {
  async fetch(request: Request, env: unknown): Promise<Response> {
    const { OAUTH_PROVIDER } = env as Env
    if (new URL(request.url).pathname !== '/authorize') return new Response(null, { status: 404 })
    const asked = await OAUTH_PROVIDER.parseAuthRequest(request)
    const { redirectTo } = await OAUTH_PROVIDER.completeAuthorization({
      request: asked,
      userId: 'ann',
      scope: asked.scope,
      metadata: {},
      props: {},
    })
    return Response.redirect(redirectTo, 302)
  },
}
`

/** A package such as \`agents\` is not installed: the skill removes it before it compiles or starts anything. */
export function writeNotes(folder: string): void {
  const dependencies = Object.fromEntries(
    ['@modelcontextprotocol/sdk', '@cloudflare/workers-oauth-provider', 'zod'].map((name) => [
      name,
      versionOf(name),
    ]),
  )
  mkdirSync(join(folder, 'src'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'notes', version: '1.0.0', type: 'module', dependencies }),
  )
  writeFileSync(join(folder, 'src/tools.ts'), TOOLS)
}

/** Changes the imports of the tools as the table of the skill says. */
export function changeImports(folder: string, skill: string): void {
  const file = join(folder, 'src/tools.ts')
  const moved = codeRowsOf(skill).reduce(
    (source, [before, after]) => source.replaceAll(`'${before}'`, `'${after}'`),
    readFileSync(file, 'utf8'),
  )
  expect(moved).not.toContain('@modelcontextprotocol')
  writeFileSync(file, moved)
}

type ToolsIn = (output: string) => readonly { readonly name: string }[]

interface Move {
  /** The heading of its section in the skill. */
  readonly kind: string
  /** What is run besides, while the server answers. */
  readonly commands?: string
  /** Writes what the project of this kind has besides. */
  readonly write?: (folder: string) => void
  readonly check: (outputs: string, toolsIn: ToolsIn) => void
}

const hasTools: Move['check'] = (outputs, toolsIn) =>
  expect(toolsIn(outputs)).toEqual([
    expect.objectContaining({
      name: 'add_note',
      description: 'Adds a note.',
      inputSchema: expect.objectContaining({
        properties: { text: { type: 'string' } },
        required: ['text'],
      }),
    }),
    expect.objectContaining({
      name: 'count_notes',
      description: 'Counts the notes with a tag.',
      inputSchema: expect.objectContaining({
        properties: { tag: { type: 'string' } },
        required: ['tag'],
      }),
      annotations: { readOnlyHint: true },
    }),
  ])

export const MOVES: readonly Move[] = [
  { kind: 'From the SDK', check: hasTools },
  { kind: 'From McpAgent', check: hasTools },
  {
    kind: 'Behind OAuthProvider',
    write: (folder) => writeFileSync(join(folder, 'src/sign-in.ts'), SIGN_IN),
    // Signs in, and uses the server with a token. Faults of the provider itself are no matter of the move.
    commands: 'npx edgeway doctor http://localhost:8787/mcp --active || true',
    check: (outputs) => {
      expect(outputs).toMatch(/^HTTP\/1.1 401 /m)
      const [, active = ''] = outputs.split('9 of 9 clients connect.')
      expect(active).toMatch(/✓ Codex +connects/)
      expect(active).not.toContain('Nothing after sign-in was examined')
    },
  },
  {
    kind: 'Replace OAuthProvider',
    write: (folder) =>
      writeFileSync(
        join(folder, '.dev.vars'),
        'GITHUB_CLIENT_ID=id\nGITHUB_CLIENT_SECRET=secret\n',
      ),
    check: (outputs) => expect(outputs).toMatch(/^HTTP\/1.1 401 /m),
  },
]
