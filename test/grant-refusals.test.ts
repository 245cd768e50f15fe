/** The documentation of the reasons for refused grants. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('docs/guides/authorization.md', () => {
  it('lists every GrantRefusalReason once, in the order of the type', () => {
    const reasons = read('src/ports/grant-refusal.ts').matchAll(/\| '([a-z-]+)'/g)
    const rows = read('docs/guides/authorization.md').matchAll(/^\| `([a-z]+(?:-[a-z]+)+)` \|/gm)
    expect([...rows].map(([, reason]) => reason)).toEqual([...reasons].map(([, reason]) => reason))
  })
})
