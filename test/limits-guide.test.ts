/** What the guide of rate limits states: its defaults, and bindings that wrangler accepts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { HOSTED_NETWORKS } from '../src/features/rate-limits/limits/hosted-networks.ts'
import { DEFAULT_RATE_LIMITS } from '../src/features/rate-limits/limits/limit-classes.ts'

interface Binding {
  readonly name: string
  readonly simple: { readonly limit: number; readonly period: number }
}

const guide = readFileSync(resolve(import.meta.dirname, '../docs/guides/limits.md'), 'utf8')

describe('docs/guides/limits.md', () => {
  it('lists every built-in class with its default', () => {
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)]
    expect(Object.fromEntries(rows.map(([, name, limit]) => [name, Number(limit)]))).toEqual(
      DEFAULT_RATE_LIMITS,
    )
  })

  it('has bindings that wrangler reads, named and limited like their classes', () => {
    const [, toml = ''] = /```toml\n([\s\S]*?)```/.exec(guide) ?? []
    const directory = mkdtempSync(join(tmpdir(), 'edgeway-guide-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const config = join(directory, 'wrangler.toml')
    writeFileSync(config, `name = "guide"\ncompatibility_date = "2026-11-01"\n${toml}`)
    const { ratelimits }: { readonly ratelimits: readonly Binding[] } = readConfig({ config })
    expect(ratelimits.map(({ name, simple }) => ({ name, simple }))).toEqual(
      (['network', 'sign-in'] as const).map((limitClass) => ({
        name: `MCP_LIMIT_${limitClass.toUpperCase().replaceAll('-', '_')}`,
        simple: { limit: DEFAULT_RATE_LIMITS[limitClass], period: 60 },
      })),
    )
  })

  it('names every range of the default hosted networks', () => {
    for (const range of Object.values(HOSTED_NETWORKS).flat()) expect(guide).toContain(range)
  })
})
