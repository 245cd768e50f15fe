/** `edgeway views build`: one document for each view, and what prevents it. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMMAND = join(ROOT, 'packages/cli/src/edgeway.ts')
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-views-'))

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

let project = FOLDER
beforeEach(() => {
  project = mkdtempSync(join(FOLDER, 'project-'))
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  write('package.json', '{ "type": "module" }')
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

const run = promisify(execFile)

async function build(): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [COMMAND, 'views', 'build'], {
      cwd: project,
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

const generated = () => readFileSync(join(project, 'src/views.generated.ts'), 'utf8')

/** The document of a view, as a Worker imports it. */
function documentOf(name: string): string {
  const [, text] =
    new RegExp(`uri: 'ui://views/${name}',\\n {2}html: (".*"),\\n`).exec(generated()) ?? []
  return JSON.parse(text ?? 'null')
}

const PREACT = `import { render } from 'preact'
import { label } from './parts/label.ts'
import './note.css'
render(<h1 class="big">{label}{'</script><!--'}</h1>, document.querySelector('#root')!)
`

describe('edgeway views build', () => {
  beforeEach(() => {
    write(
      'tsconfig.json',
      '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" } }',
    )
    write('src/views/note-list.tsx', PREACT)
    write('src/views/parts/label.ts', 'export const label: string = "Notes\\u2028"')
    write('src/views/note.css', '.big { color: red; background: url(./dot.svg) }')
    write('src/views/dot.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    write(
      'src/views/plain.html',
      '<!doctype html><html lang="en"><head><title>Plain</title><link rel="stylesheet" href="./note.css"></head><body><script type="module">import { label } from "./parts/label.ts"; document.title = label</script></body></html>',
    )
  })

  it('makes each view one document with its scripts, styles and images', async () => {
    expect(await build()).toMatchObject({ code: 0 })
    for (const name of ['note-list', 'plain']) {
      const html = documentOf(name)
      expect(html).toMatch(/^<!doctype html>/i)
      expect(html).toContain('<style')
      expect(html).toContain('data:image/svg+xml')
      expect(html).not.toMatch(/(?:src|href)="\./)
      // The text of the script has none of its own.
      expect(html.match(/<\/script>/g)).toHaveLength(1)
    }
    expect(generated()).toContain('export const noteList = view({')
  })

  it('writes the same text for the same source, and leaves the file as it is', async () => {
    await build()
    const first = generated()
    expect((await build()).output).toContain('is up to date')
    rmSync(join(project, 'src/views.generated.ts'))
    await build()
    expect(generated()).toBe(first)
  })
})

describe('a view that cannot be built', () => {
  const script = (text: string) => ({ 'note.ts': text })
  it.each<[string, Record<string, string>, RegExp]>([
    ['is missing', {}, /has no view, such as note\.tsx or note\.html/],
    [
      'imports a module of Node',
      script("import { readFileSync } from 'node:fs'; readFileSync('a')"),
      /note\.ts imports node:fs: a view runs in a browser\. Do this in a tool/,
    ],
    [
      'imports a module of Workers',
      script("import { env } from 'cloudflare:workers'; env.a"),
      /imports cloudflare:workers: a view runs in a browser/,
    ],
    [
      'imports a package that is not installed',
      script("import a from 'not-installed'; a()"),
      /note\.ts: .*'not-installed'.* Install it, or mend the path/,
    ],
    ['is malformed', script('const a = {'), /src\/views\/note\.ts: /],
    [
      'has the name of another',
      { 'note.ts': 'console.log(1)', 'note.html': '<!doctype html><title>a</title>' },
      /note\.html and src\/views\/note\.ts are two views of one name/,
    ],
    [
      'has a name that is no name',
      { 'My Note.ts': 'console.log(1)' },
      /the name of a view is like note or note-list/,
    ],
    [
      'is too large for every host',
      script(`console.log(${JSON.stringify('x'.repeat(5_000_000))})`),
      /note\.ts becomes a document of 50\d+ bytes; hosts accept 4194304/,
    ],
    [
      'needs a file beside it',
      {
        'note.ts': "new Worker(new URL('./parts/work.js', import.meta.url))",
        'parts/work.js': 'postMessage(1)',
      },
      /needs other files: .*A view is one document/,
    ],
  ])('because it %s is named', async (_, files, says) => {
    mkdirSync(join(project, 'src/views'), { recursive: true })
    for (const [path, text] of Object.entries(files)) write(`src/views/${path}`, text)
    const { code, output } = await build()
    expect(output).toMatch(says)
    expect(code).toBe(2)
  })

  it('replaces no file of another origin', async () => {
    write('src/views/note.ts', 'console.log(1)')
    write('src/views.generated.ts', 'export const mine = 1')
    expect((await build()).output).toContain('was not written by edgeway views')
    expect(generated()).toBe('export const mine = 1')
  })
})
