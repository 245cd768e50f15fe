/** Who takes part, and in what. A lane is left out of the work that it does not speak. */
import type { WorkName } from '../measure/works.ts'

export type Definition = 'one-tool' | 'hundred-tools'

export interface Lane {
  readonly name: string
  readonly folder: string
  /** The newest of the 2025 revisions that it speaks. */
  readonly sessionRevision: string
  readonly works: readonly WorkName[]
  readonly compatibilityFlags: readonly string[]
}

const EVERY_WORK: readonly WorkName[] = ['call', 'call-100', 'stateless-call', 'initialize', 'list']

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
    works: EVERY_WORK,
    sessionRevision: '2025-11-25',
    // As the project's own wrangler.toml deploys it.
    compatibilityFlags: ['enable_request_signal'],
  },
  {
    name: 'official SDK 2.4.0',
    folder: 'sdk',
    works: EVERY_WORK,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
  },
  {
    name: 'agents 0.32.0',
    folder: 'agents',
    works: EVERY_WORK,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
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
