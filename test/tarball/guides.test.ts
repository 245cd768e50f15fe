/**
 * Type-checks the TypeScript of README.md, docs/ and the front page of the site against the installed package. A block is a module. What it
 * assumes, such as the server of the application, is declared in a comment directly above it:
 * `<!-- assumes`, TypeScript, `-->`. A block whose first line is `// name.ts` is a file that others import.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { typeErrorsOf } from './check-types.ts'
import { ROOT } from './consumer.ts'
import { installedConsumer } from './installed-consumer.ts'

const { directory } = await installedConsumer()

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
  'packages/site/index.md',
]

interface Block {
  /** The path of its file, without the folder of the project. */
  readonly path: string
  /** Each line is at its line of the page, so that errors name the place in the page. */
  readonly text: string
}

const BLOCK =
  /(?:^<!-- assumes\n(?<assumed>(?:(?!-->)[\s\S])*)-->\n)?^```ts\n(?<code>[\s\S]*?)^```$/gm

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const linesBefore = (index: number) => text.slice(0, index).split('\n').length - 1
  return [...text.matchAll(BLOCK)].map((match) => {
    const { assumed, code = '' } = match.groups ?? {}
    const line = linesBefore(match.index)
    const head = assumed === undefined ? '\n' : `\n${assumed}\n\n`
    const name = /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1] ?? `line-${line + 1}.ts`
    // A block without imports and exports is a module, too.
    const module = `${'\n'.repeat(line)}${head}${code}\nexport {}\n`
    return { path: join(dirname(page), basename(page, '.md'), name), text: module }
  })
}

describe('the TypeScript of README.md, docs/ and the front page of the site', () => {
  it('type-checks against the package', () => {
    const project = join(directory, 'pages')
    const blocks = pages.flatMap(blocksOf)
    expect(blocks.length).toBeGreaterThan(30)
    for (const { path, text } of blocks) {
      const file = join(project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      // The data that a page imports, such as an OpenAPI description.
      for (const [, json = ''] of text.matchAll(/ from '\.\/([\w-]+\.json)'/g)) {
        writeFileSync(join(dirname(file), json), '{}')
      }
      // A text, such as the script of a view.
      for (const [, name = ''] of text.matchAll(/ from '\.\/([\w-]+\.txt)'/g)) {
        const module = 'declare const text: string\nexport default text\n'
        writeFileSync(join(dirname(file), `${name}.d.ts`), module)
      }
    }
    expect(typeErrorsOf(project, ['README', 'docs', 'site'])).toBe('')
  }, 300_000)
})
