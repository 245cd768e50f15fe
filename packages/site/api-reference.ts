/** The API reference: one page per export of the package, from its docstrings. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, type ProjectReflection } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

/** The modules of the entries of the package from its root, without `/index.ts`, each with the name of its pages. */
function entriesOf(root: string): ReadonlyMap<string, string> {
  const { exports }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return new Map(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === 'string'
        ? []
        : [
            [
              target.types.replace('./dist/', '').replace(/(?:\/index)?\.d\.ts$/, ''),
              entry === '.' ? 'edgeway' : entry.slice(2),
            ] as const,
          ],
    ),
  )
}

/**
 * Writes the pages to `out` and returns the declarations.
 *
 * @throws {Error} if the source cannot be read
 */
export async function writeApiReference(root: string, out: string): Promise<ProjectReflection> {
  const markdown: Partial<PluginOptions> = {
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    interfacePropertiesFormat: 'table',
  }
  const entries = entriesOf(root)
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: Array.from(entries.keys(), (module) => {
      const folder = join(root, module)
      return existsSync(folder) ? join(folder, 'index.ts') : `${folder}.ts`
    }),
    out,
    tsconfig: join(root, 'tsconfig.build.json'),
    readme: 'none',
    name: 'API',
    logLevel: 'Error',
    // `npm run typecheck` checks the source with its own, newer compiler.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    ...markdown,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('The declarations could not be read.')
  // The main entry comes first: edgeway/sdk has some of its names.
  const modules = [...entries.keys()]
  project.children?.sort((a, b) => modules.indexOf(a.name) - modules.indexOf(b.name))
  for (const entry of project.children ?? []) entry.name = entries.get(entry.name) ?? entry.name
  await app.generateOutputs(project)
  return project
}
