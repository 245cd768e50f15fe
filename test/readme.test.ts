/**
 * The first page of the repository: its size, its figures, its commands and its links. `test/faults/kill-demo.test.ts` has the
 * output of the demonstration, and `test/tarball/guides.test.ts` type-checks the example.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proofs, readSection } from '../scripts/support/readme-proof.ts'

const ROOT = resolve(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [FIRST_SCREEN = ''] = README.split('\n## ')

const MAX_CHARACTERS = 9000
const MAX_EXAMPLE_LINES = 25

describe('README.md', () => {
  it(`has at most ${MAX_CHARACTERS} characters`, () => {
    expect([...README].length).toBeLessThanOrEqual(MAX_CHARACTERS)
  })

  it('begins with the two commands and a short server whose tool asks', () => {
    for (const command of ['npm ci && npm run dev', 'npm ci && npm test']) {
      expect(FIRST_SCREEN).toContain(`\`\`\`sh\n${command}\n\`\`\`\n`)
    }
    const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(FIRST_SCREEN) ?? []
    expect(example).toContain('ctx.elicit(')
    expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_EXAMPLE_LINES)
  })

  it.each(proofs())('has the recorded figures: $claim', ({ claim, figures, command, date }) => {
    const rows = readSection(README, 'proof').split('\n')
    const [row = ''] = rows.filter((line) => line.startsWith(`| ${claim} |`))
    const dated = row.match(/ (\d{4}-\d\d-\d\d) \|$/)?.[1]
    expect(row).toBe(`| ${claim} | ${figures} | \`${command}\` | ${date ?? dated} |`)
  })

  it('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const named = [...README.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => name)
    const scriptNames = named.filter((name) => !['ci', 'install', 'create'].includes(name ?? ''))
    expect(scriptNames).toEqual(expect.arrayContaining(['dev', 'test', 'kill-demo']))
    expect(scriptNames.filter((name = '') => !(name in scripts))).toEqual([])
  })

  it('links to files that exist, its pictures in both themes', () => {
    const links = [...README.matchAll(/\]\(([^)#]+)[^)]*\)|(?:src|srcset)="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture ?? '')
      .filter((link) => !link.startsWith('https:'))
    expect(links.length).toBeGreaterThan(15)
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([])
    for (const name of ['consent', 'timeline', 'inspector']) {
      for (const theme of ['light', 'dark']) {
        expect(links).toContain(`docs/images/${name}-${theme}.webp`)
      }
    }
  })
})
