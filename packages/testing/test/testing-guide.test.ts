/** Tests the testing guide: every file that it shows is one of `examples/testing`, which runs. */
// features: all
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asAuthor } from '../../../test/support/node/entries.ts'
import { PROFILE_NAMES, PROFILES } from '../../client/src/profiles.ts'

const ROOT = join(import.meta.dirname, '../../..')
const EXAMPLE = join(ROOT, 'examples/testing')
const guide = readFileSync(join(ROOT, 'docs/guides/testing.md'), 'utf8')

/** The code of a file as an application writes it, without the comments at its head. */
function codeOf(file: string): string {
  const path = join(EXAMPLE, file)
  return asAuthor(readFileSync(path, 'utf8'), path)
    .replace(/^\/\*\*.*\*\/\n/, '')
    .replace(/^\/\/ features: .*\n/m, '')
    .trim()
}

describe('docs/guides/testing.md', () => {
  const shown = [...guide.matchAll(/^```ts\n\/\/ ([\w.-]+)$/gm)].map(([, file = '']) => file)
  const files = readdirSync(EXAMPLE).filter((file) => shown.includes(file))

  it('shows files of examples/testing, and the configuration of Vitest', () => {
    expect(files.length).toBeGreaterThan(2)
    expect(shown.filter((file) => !files.includes(file))).toEqual(['vitest.config.ts'])
  })

  it.each(files)('shows examples/testing/%s as it is', (file) => {
    expect(guide).toContain(`\`\`\`ts\n// ${file}\n${codeOf(file)}\n\`\`\``)
  })

  it('says of each client when it was seen, in which version, as its profile does', () => {
    for (const name of PROFILE_NAMES) {
      const { version = 'reports', on } = PROFILES[name].seen
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\``))
      expect(row).toContain(`| ${version}, ${on} | ${PROFILES[name].revision} |`)
    }
  })
})
