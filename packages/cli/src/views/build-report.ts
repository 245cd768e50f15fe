/** Builds views, and says what was written and what prevents it. */
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'
import type { BuiltView } from './build-view.ts'
import { buildViews } from './build-views.ts'
import { sizeOf } from './views-module.ts'

export interface ViewsToBuild {
  /** An absolute path, as that of the configuration of Vite. */
  readonly folder: string
  readonly config?: string | undefined
}

export interface BuildReport {
  readonly warnings: readonly string[]
  readonly lines: readonly string[]
  /** Where it is present, nothing was written. */
  readonly error?: string | undefined
}

/** @param onBuilt is called before the file is written */
export async function buildWithReport(
  { folder, config }: ViewsToBuild,
  onBuilt?: (views: readonly BuiltView[]) => void,
): Promise<BuildReport> {
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  try {
    const { file, views, isNew } = await buildViews(folder, { config, onWarning }, onBuilt)
    const sizes = views.map((view) => `${view.name}: ${sizeOf(view)}`)
    return { warnings, lines: [...sizes, writtenText(file, isNew)] }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { warnings, lines: [], error: error.message }
  }
}

export const writtenText = (file: string, isNew: boolean) =>
  `${shownPath(file)} ${isNew ? 'has been written' : 'is up to date'}.`
