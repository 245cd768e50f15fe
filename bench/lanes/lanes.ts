/** Who takes part, and in what. A lane is left out of the work that it does not speak. */
import { randomBytes } from 'node:crypto'
import type { Bindings } from '../measure/workerd.ts'
import type { WorkName } from '../measure/works.ts'

export type Definition = 'one-tool' | 'hundred-tools' | 'asking' | 'listening'

export interface Lane {
  readonly name: string
  readonly folder: string
  /** The newest of the 2025 revisions that it speaks. */
  readonly sessionRevision: string
  readonly works: readonly (WorkName | 'publish')[]
  readonly compatibilityFlags: readonly string[]
  /** What its Workers need beside their code. */
  readonly bindings?: Readonly<Partial<Record<Definition, Bindings>>>
  /** Another setting of the lane above: it shows only in the works that it is for. */
  readonly isVariant?: true
}

const EVERY_WORK: readonly WorkName[] = ['call', 'call-100', 'stateless-call', 'initialize', 'list']

/** As the project's own wrangler.toml deploys it. */
const EDGEWAY_FLAGS: readonly string[] = ['enable_request_signal']

/** Of this run alone. */
const SECRET = randomBytes(32).toString('base64')

export const LANES: readonly Lane[] = [
  {
    name: 'bare Hono route',
    folder: 'bare',
    works: ['call', 'stateless-call', 'initialize'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
  },
  {
    name: 'bare Hono route, same bytes',
    folder: 'same-bytes',
    works: ['list'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
  },
  {
    name: 'edgeway',
    folder: 'edgeway',
    works: [...EVERY_WORK, 'ask', 'publish'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: {
      asking: { objects: { MCP_KEYRING: 'McpKeyring' } },
      listening: { objects: { MCP_HUB: 'McpHub' } },
    },
  },
  {
    name: 'edgeway, secret in place of the keyring',
    folder: 'edgeway-secret',
    works: ['ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { asking: { texts: { EDGEWAY_SECRET: SECRET } } },
    isVariant: true,
  },
  {
    name: 'official SDK 2.4.0',
    folder: 'sdk',
    works: [...EVERY_WORK, 'ask', 'publish'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: { asking: { texts: { REQUEST_STATE_KEY: SECRET } } },
  },
  {
    name: 'agents 0.32.0',
    folder: 'agents',
    works: [...EVERY_WORK, 'ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: { asking: { texts: { REQUEST_STATE_KEY: SECRET } } },
  },
  {
    name: 'mcp-lite 0.10.0 (2025-06-18)',
    folder: 'mcp-lite',
    works: ['stateless-call', 'initialize'],
    sessionRevision: '2025-06-18',
    compatibilityFlags: [],
  },
  {
    name: '@hono/mcp 0.3.2',
    folder: 'hono-mcp',
    works: ['stateless-call', 'initialize'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
  },
]
