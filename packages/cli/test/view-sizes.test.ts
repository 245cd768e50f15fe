/** The sizes of documents that `edgeway views build` makes of a table with 200 rows. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { buildView } from '../src/views/build-view.ts'
import { viewSources } from '../src/views/view-sources.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-view-sizes-'))

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const TYPES = `
import { connectView } from 'edgeway/view'
interface Row { readonly name: string; readonly sales: number }
interface Tools { list_rows: { arguments: { start?: number }; result: { rows: readonly Row[] } } }
const view = connectView<Tools, 'list_rows'>({ name: 'table' })
`

const STYLE = `
body { margin: 0; padding: 16px; font: 14px/1.4 var(--font-sans, system-ui); color: var(--color-text-primary, light-dark(#111, #eee)) }
table { width: 100%; border-collapse: collapse }
th, td { padding: 6px 8px; border-bottom: 1px solid var(--color-border-primary, light-dark(#ddd, #444)); text-align: start }
td:last-child { text-align: end; font-variant-numeric: tabular-nums }
`

const component = (hooks: string, rendered: string) => `${hooks}${TYPES}
import './table.css'
function Table() {
  const { tool } = useView(view)
  const [query, setQuery] = useState('')
  if (tool.status !== 'done') return <p>…</p>
  const rows = tool.result.structuredContent?.rows ?? []
  return <main>
    <input aria-label="Filter" value={query} onInput={(event) => setQuery((event.target as HTMLInputElement).value)} />
    <table><thead><tr><th>Name</th><th>Sales</th></tr></thead><tbody>
      {rows.filter(({ name }) => name.includes(query)).map(({ name, sales }) => <tr key={name}><td>{name}</td><td>{sales}</td></tr>)}
    </tbody></table>
  </main>
}
${rendered}`

const SOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  html: {
    'table.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Table</title><link rel="stylesheet" href="./table.css"></head>
<body><input aria-label="Filter"><table><thead><tr><th>Name</th><th>Sales</th></tr></thead><tbody></tbody></table>
<script type="module" src="./parts/table.ts"></script></body></html>`,
    'parts/table.ts': `${TYPES}
const [body, input] = [document.querySelector('tbody')!, document.querySelector('input')!]
const show = () => {
  const { tool } = view.state
  if (tool.status !== 'done') return
  const rows = tool.result.structuredContent?.rows ?? []
  body.replaceChildren(...rows.filter(({ name }) => name.includes(input.value)).map(({ name, sales }) => {
    const row = document.createElement('tr')
    row.append(...[name, sales].map((text) => Object.assign(document.createElement('td'), { textContent: text })))
    return row
  }))
}
view.watch(show)
input.addEventListener('input', show)`,
  },
  preact: {
    'table.tsx': component(
      "import { useView } from 'edgeway/view/preact'\nimport { render } from 'preact'\nimport { useState } from 'preact/hooks'\n",
      "render(<Table />, document.querySelector('#root')!)",
    ),
  },
  react: {
    'table.tsx': component(
      "import { useView } from 'edgeway/view/react'\nimport { useState } from 'react'\nimport { createRoot } from 'react-dom/client'\n",
      "createRoot(document.querySelector('#root')!).render(<Table />)",
    ),
  },
}

function writeProject(framework: string): string {
  const project = join(FOLDER, framework)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const paths = Object.fromEntries(
    ['index', 'preact', 'react'].map((name) => [
      name === 'index' ? 'edgeway/view' : `edgeway/view/${name}`,
      [join(ROOT, `packages/view/src/${name}.ts`)],
    ]),
  )
  const compilerOptions = { jsx: 'react-jsx', jsxImportSource: framework, paths }
  write('tsconfig.json', JSON.stringify({ compilerOptions }))
  write('src/views/table.css', STYLE)
  for (const [path, text] of Object.entries(SOURCES[framework] ?? {})) {
    write(`src/views/${path}`, text)
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  return join(project, 'src/views')
}

describe('the compressed document of a table', () => {
  it.each([
    ['html', 6_000],
    ['preact', 14_000],
    ['react', 80_000],
  ])('that is written with %s has at most %d bytes', async (framework, limit) => {
    const [source] = viewSources(writeProject(framework))
    if (source === undefined) throw new Error('There is no view')
    const warnings: string[] = []
    const { html } = await buildView(source, { onWarning: (text) => void warnings.push(text) })
    const bytes = gzipSync(html, { level: 9 }).byteLength
    process.stdout.write(`${framework}: ${bytes} bytes\n`)
    expect(warnings).toEqual([])
    expect(bytes).toBeLessThanOrEqual(limit)
  })
})
