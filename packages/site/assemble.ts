/**
 * Assembles the pages of the site in `pages/`: the documents of `docs/`, the API reference from the docstrings,
 * the configuration reference from the same docstrings, a page per name that telemetry or an error reports, and the
 * skills of the package.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeApiReference } from './api-reference.ts'
import { configurationPage } from './configuration.ts'
import { errorPages } from './error-pages.ts'
import { redirectsFile } from './redirects.ts'

const SITE = import.meta.dirname
const ROOT = resolve(SITE, '../..')
const PAGES = join(SITE, 'pages')

function write(path: string, text: string): void {
  const file = join(PAGES, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Files of the root that documents link to, with their paths in the site. */
const FROM_ROOT = { 'CHANGELOG.md': 'changelog.md', 'SECURITY.md': 'reporting.md' }

/** Links out of `docs/` lead to the pages that the files of the root become. */
function copyDocuments(): void {
  cpSync(join(ROOT, 'docs'), PAGES, { recursive: true })
  for (const [file, page] of Object.entries(FROM_ROOT)) {
    write(page, readFileSync(join(ROOT, file), 'utf8').replaceAll('](docs/', '](./'))
  }
  for (const path of readdirSync(PAGES, { recursive: true, encoding: 'utf8' })) {
    // VitePress publishes files that are not pages from `public`.
    if (path.endsWith('.json')) cpSync(join(PAGES, path), join(PAGES, 'public', path))
    if (!path.endsWith('.md')) continue
    const text = readFileSync(join(PAGES, path), 'utf8')
    const linked = Object.entries(FROM_ROOT).reduce(
      (page, [from, to]) => page.replaceAll(`../${from})`, `${to})`),
      text.replaceAll(/\]\(\.\.\/\.\.\/skills\/([\w-]+)\/SKILL\.md\)/g, '](../skills/$1.md)'),
    )
    if (linked !== text) write(path, linked)
  }
}

function copySkills(): void {
  const folder = join(ROOT, 'skills')
  for (const name of readdirSync(folder)) {
    write(`skills/${name}.md`, readFileSync(join(folder, name, 'SKILL.md'), 'utf8'))
  }
}

rmSync(PAGES, { recursive: true, force: true })
copyDocuments()
copySkills()
cpSync(join(SITE, 'index.md'), join(PAGES, 'index.md'))
cpSync(join(SITE, 'images'), join(PAGES, 'public'), { recursive: true })
const declarations = await writeApiReference(ROOT, join(PAGES, 'reference/api'))
write('reference/configuration.md', configurationPage(declarations))
const reasons = readFileSync(join(ROOT, 'docs/reference/reasons.md'), 'utf8')
for (const { path, text } of errorPages(reasons)) write(path, text)
write('public/_redirects', redirectsFile())
