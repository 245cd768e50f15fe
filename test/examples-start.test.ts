/** Tests that `npx wrangler dev examples/<name>/worker.ts` finds what each example needs. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

const ROOT = resolve(import.meta.dirname, '..')

describe.each(globSync('examples/*/wrangler.toml', { cwd: ROOT }))('%s', (config) => {
  it('builds from every folder', () => {
    const { command = '' }: { readonly command?: string } = readConfig({
      config: join(ROOT, config),
    }).build
    // A relative path would start at the folder where wrangler is started.
    expect(command).not.toContain('/')
  })

  it('opens the inspector that its worker has', () => {
    const folder = join(ROOT, dirname(config))
    const has = readFileSync(join(folder, 'worker.ts'), 'utf8').includes('inspector()')
    expect(existsSync(join(folder, '.env'))).toBe(has)
  })
})
