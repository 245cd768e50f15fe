// features: apps, connections
/** `edgeway/testing` where Node lacks methods of the standard, as Node 20 does. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PROGRAM = `
delete Promise.withResolvers
await import('./packages/testing/src/index.ts')
console.log(typeof Promise.withResolvers)
`

describe('edgeway/testing in a Node without Promise.withResolvers', () => {
  it('works where nothing else of the package is imported, as for a server at a URL', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--experimental-strip-types', '--input-type=module', '--eval', PROGRAM],
      { cwd: ROOT },
    )
    expect(stdout).toBe('function\n')
  })
})
