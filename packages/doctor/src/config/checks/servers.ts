/** Check: each of several servers of one Worker has an audience of its own. */

import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import { detected } from '../../doctor/detected.ts'
import type { DescribedApp } from '../inspector.ts'
import type { Check } from '../project-observations.ts'

export const servers: Check = (_, { worker }) => {
  const apps = worker?.apps ?? []
  return apps.flatMap((one, index) => {
    const other = apps
      .slice(index + 1)
      .find((app) => app.audience === one.audience && !isSame(app, one))
    return other === undefined
      ? []
      : [detected('servers-share-name', `${label(one)} and ${label(other)}`)]
  })
}

/** One server that the main module creates again, such as for each request, or for another path of an agent. */
function isSame(one: DescribedApp, other: DescribedApp): boolean {
  const isAgent = one.required.some(({ binding }) => binding === one.audience)
  return isAgent || (one.paths[0] === other.paths[0] && one.auth?.type === other.auth?.type)
}

const label = ({ audience, paths: [path] }: DescribedApp) =>
  path === undefined ? quoted(audience) : `${quoted(audience)} (${printable(path)})`
