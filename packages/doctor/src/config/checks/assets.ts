/** Check: static assets do not answer in place of the pages of the server. */

import { quoted } from '../../../../text/src/quoted.ts'
import { detected } from '../../doctor/detected.ts'
import type { Check } from '../project-observations.ts'
import { protectedIn } from './origins.ts'

/** The date since which a navigation is answered by the assets first (`assets_navigation_prefers_asset_serving`). */
const PREFERS_ASSETS_SINCE = '2025-04-01'

/** A browser navigates to the sign-in. Other requests reach the Worker where no asset has their path. */
export const assets: Check = ({ config }, { worker }) => {
  const { assets: served, compatibility_date: date = '', compatibility_flags: flags } = config
  const fallback = served?.not_found_handling
  if (fallback === undefined || fallback === 'none') return []
  const prefersAssets =
    flags.includes('assets_navigation_prefers_asset_serving') ||
    (date >= PREFERS_ASSETS_SINCE && !flags.includes('assets_navigation_has_no_effect'))
  const first = served?.run_worker_first ?? false
  if (!prefersAssets || first === true) return []
  const patterns = first === false ? [] : first
  const pages = protectedIn({ worker })
    .flatMap(({ paths }) => paths)
    .filter((path) => PAGE.test(path))
  const lost = pages.filter((path) => !isServedFirst(path, patterns))
  if (lost.length === 0) return []
  const named = lost.slice(0, 3).map(quoted).join(', ')
  const text = `not_found_handling is ${quoted(fallback)}, and run_worker_first does not have ${named}`
  return [detected('assets-hide-server', text)]
}

/** The pages of `embedded()` that browsers navigate to, and the targets of their forms. All other paths are for programs. */
const PAGE = /^\/(?:authorize|account|login|logout)(?:\/|$)/

/** `*` stands for any characters; a pattern with "!" excludes paths. */
function isServedFirst(path: string, patterns: readonly string[]): boolean {
  const isIn = (pattern: string) => {
    const parts = pattern.split('*')
    const [start = '', ...rest] = parts
    if (rest.length === 0) return path === pattern
    return path.startsWith(start) && path.endsWith(rest.at(-1) ?? '')
  }
  const excluded = patterns.filter((pattern) => pattern.startsWith('!'))
  if (excluded.some((pattern) => isIn(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && isIn(pattern))
}
