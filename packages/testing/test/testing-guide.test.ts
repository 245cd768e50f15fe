/** Tests the testing guide: every file that it shows is one of the examples, which runs. */
// features: all
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asAuthor } from '../../../test/support/node/entries.ts'
import { PROFILE_NAMES, PROFILES } from '../../client/src/profiles.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDERS = ['examples/testing', 'examples/report/views'].map((path) => join(ROOT, path))
const guide = readFileSync(join(ROOT, 'docs/guides/testing.md'), 'utf8')

/** The code of a file as an application writes it, without the comments at its head. */
function codeOf(path: string): string {
  return asAuthor(readFileSync(path, 'utf8'), path)
    .replace(/^\/\*\*.*\*\/\n/, '')
    .replace(/^\/\/ features: .*\n/m, '')
    .trim()
}

describe('docs/guides/testing.md', () => {
  const shown = [...guide.matchAll(/^```tsx?\n\/\/ ([\w.-]+)$/gm)].map(([, file = '']) => file)
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder).flatMap((file) =>
      shown.includes(file) ? [[file, join(folder, file)] as const] : [],
    ),
  )

  it('shows files of the examples, and the configuration of Vitest', () => {
    const found = new Set(files.map(([file]) => file))
    expect(shown.filter((file) => !found.has(file))).toEqual(['vitest.config.ts'])
  })

  it.each(files)('shows %s as it is', (file, path) => {
    expect(guide).toContain(`\`\`\`${extname(file).slice(1)}\n// ${file}\n${codeOf(path)}\n\`\`\``)
  })

  it('says of each client when it was seen, in which version, as its profile does', () => {
    for (const name of PROFILE_NAMES) {
      const { version = 'reports', on } = PROFILES[name].seen
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\``))
      expect(row).toContain(`| ${version}, ${on} | ${PROFILES[name].revision} |`)
    }
  })
})
