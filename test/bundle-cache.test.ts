/** Tests the cache of bundled fixture Workers. */
// features: all
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCachedBundle, writeCachedBundle } from '../scripts/support/bundle-cache.ts'
import { PROJECT_DIRECTORY } from '../scripts/support/project.ts'

const FOLDER = join(PROJECT_DIRECTORY, '.wrangler/bundle-cache-test')
const CONFIG = join(FOLDER, 'wrangler.toml')
const CACHED = join(
  PROJECT_DIRECTORY,
  '.wrangler/bundles/.wrangler-bundle-cache-test-wrangler.toml.json',
)
const BUNDLE = { script: 'export default {}', options: { name: 'cached' } } as never

mkdirSync(FOLDER, { recursive: true })
afterAll(() => {
  rmSync(FOLDER, { recursive: true, force: true })
  rmSync(CACHED, { force: true })
})

describe('the cached bundle of a Worker', () => {
  it('names its inputs by their path in the project, so that a copied folder compares its own', async () => {
    writeFileSync(CONFIG, 'name = "cached"')
    await writeCachedBundle(CONFIG, [CONFIG], BUNDLE)
    const inputs = Object.keys(JSON.parse(readFileSync(CACHED, 'utf8')).inputs)
    expect(inputs).toEqual(['.wrangler/bundle-cache-test/wrangler.toml'])
    expect(inputs.filter(isAbsolute)).toEqual([])
    expect(await readCachedBundle(CONFIG)).toEqual(BUNDLE)
  })

  it('is made again after an input has changed', async () => {
    writeFileSync(CONFIG, 'name = "changed"')
    expect(await readCachedBundle(CONFIG)).toBeUndefined()
  })
})
