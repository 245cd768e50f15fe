/** Tests what scripts of the project answer to a flag that they do not have. */
// features: all
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const SCRIPTS = join(import.meta.dirname, '../scripts')

describe('a script of the project', () => {
  it.each([
    { script: 'release', args: ['--dryrun'], says: "Unknown option '--dryrun'" },
    { script: 'release', args: ['--dry-run', 'extra'], says: "Unexpected argument 'extra'" },
    { script: 'record-release', args: ['--to', 'x'], says: "Unknown option '--to'" },
    { script: 'record-release', args: ['--at', 'noon'], says: '--at takes a time in ISO 8601' },
    { script: 'starter', args: ['--auth', 'none'], says: '--auth takes open, passphrase' },
    { script: 'starter', args: ['--node', 'twenty'], says: '--node takes major versions' },
    { script: 'stress', args: ['storm'], says: 'There is no profile storm' },
    { script: 'stress', args: ['soak', '--kills', '-1'], says: '--kills' },
    { script: 'stress', args: ['soak', '--kills', 'x'], says: '--kills takes a number' },
  ])('exits with 2 and prints its usage for $script $args', ({ script, args, says }) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(SCRIPTS, `${script}.ts`), ...args],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`\\nusage: npm run ${script} -- `))
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('    at ')
  })
})
