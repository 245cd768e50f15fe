import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findUnexportedTypes } from './declarations.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** The methods of Durable Objects, which only Edgeway calls, and their types. */
const OF_EDGEWAY_ALONE =
  /^(?:McpHub|McpKeyring|McpState) > |^McpAgent > (?:SessionRpc|SessionObject)\b/

/** The types that compute the members of an app from its features. Authors name `Edgeway`. */
const OF_FEATURES = /(?:^| > )(?:Brought|KnownFeatures)(?: > |$)/

const directory = mkdtempSync(join(tmpdir(), 'edgeway-declarations-'))

describe('the built declarations', () => {
  beforeAll(() => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const args = ['-p', 'tsconfig.build.json', '--outDir', directory, '--emitDeclarationOnly']
    execFileSync(process.execPath, [tsc, ...args], { cwd: ROOT })
  }, 300_000)

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const main = join(directory, 'src/index.d.ts')

  it('export every type that is reachable from an exported type', () => {
    const missing = findUnexportedTypes(main)
    expect(missing.filter((path) => !OF_FEATURES.test(path))).toEqual([])
  })

  it('export no shape of storage or of an RPC: the admin API and the timeline have views of their own', () => {
    const internal =
      /\b(?:TaskSnapshot|TaskDetail|TaskProgress|GrantSummary|GrantClient|SessionPosition|Principal|TimelineStep|StepEvent)\b/g
    expect(readFileSync(main, 'utf8').match(internal)).toBeNull()
  })

  it.each(['agents', 'context', 'feature', 'openapi', 'sdk', 'testing'])(
    'of edgeway/%s export every type that is reachable from an exported type, unless the main entry does',
    (name) => {
      const missing = findUnexportedTypes(join(directory, `src/${name}/index.d.ts`), [main])
      const isHidden = (path: string) => OF_EDGEWAY_ALONE.test(path) || OF_FEATURES.test(path)
      expect(missing.filter((path) => !isHidden(path))).toEqual([])
    },
  )

  it('are reported as incomplete when an exported function uses a type that is not exported', () => {
    const folder = join(directory, 'incomplete')
    mkdirSync(folder)
    writeFileSync(join(folder, 'index.d.ts'), "export { open } from './open.ts'\n")
    writeFileSync(
      join(folder, 'open.d.ts'),
      "import type { Hidden } from './hidden.ts'\nexport declare function open(options: Hidden): void\n",
    )
    writeFileSync(
      join(folder, 'hidden.d.ts'),
      'export interface Hidden {\n  readonly a: string\n}\n',
    )
    expect(findUnexportedTypes(join(folder, 'index.d.ts'))).toEqual(['open > Hidden'])
  })
})
