/** Tests that `npx wrangler dev examples/<name>/worker.ts` finds what each example needs. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

const ROOT = resolve(import.meta.dirname, '..')

// A copy without a feature has no worker of an example that uses it.
const folders = globSync('examples/*/worker.ts', { cwd: ROOT })
  .map(dirname)
  .filter((folder) => existsSync(join(ROOT, folder, 'wrangler.toml')))

describe.each(folders)('%s', (folder) => {
  it('builds from every folder', () => {
    const { command = '' }: { readonly command?: string } = readConfig({
      config: join(ROOT, folder, 'wrangler.toml'),
    }).build
    // A relative path would start at the folder where wrangler is started.
    expect(command).not.toContain('/')
  })

  it('opens the inspector that its worker has', () => {
    const worker = readFileSync(join(ROOT, folder, 'worker.ts'), 'utf8')
    expect(existsSync(join(ROOT, folder, '.env'))).toBe(worker.includes('inspector()'))
  })
})
