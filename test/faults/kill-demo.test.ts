/** `npm run kill-demo`, whose output README.md shows. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readSection } from '../../scripts/support/readme-proof.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const withoutTimes = (text: string) => text.replaceAll(/^ *\d+\.\d\d s/gm, '').trim()

it('the demonstration of a kill prints what README.md shows, apart from the times', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'scripts/kill-demo.ts'),
  ])
  const shown = readSection(readFileSync(join(ROOT, 'README.md'), 'utf8'), 'kill-demo')
  expect(withoutTimes(stdout)).toBe(withoutTimes(shown.replaceAll(/^```.*$/gm, '')))
})
