/** What the host of the page is and does. It stays while the page is open, for all views. */
import type { CallOrder } from '../../../view/src/host/play-call.ts'
import { CAPABILITY_NAMES, capabilitiesOf } from '../../../view/src/host/view-host.ts'
import type { DisplayMode, HostCapabilities, HostContext } from '../../../view/src/host-context.ts'
import { Store } from '../store.ts'
import { DISPLAY_MODES, HOST_PRESETS, type HostPreset, type Lack } from './host-presets.ts'

export interface ViewSettings {
  /** The number of a preset. */
  readonly host: number
  readonly lacks: readonly Lack[]
  readonly theme: 'light' | 'dark'
  /** In pixels. */
  readonly width: number
  readonly mode: DisplayMode
  readonly locale: string
  readonly reducedMotion: boolean
  /** Whether the arguments are written in parts. */
  readonly isWritten: boolean
  readonly order: CallOrder
}

export const MIN_WIDTH = 320
export const MAX_WIDTH = 1200

/** Where the height is the view's, at most. */
export const MAX_HEIGHT = 800

export const viewSettings = new Store<ViewSettings>({
  host: 0,
  lacks: [],
  theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  // What fits on a phone.
  width: Math.max(MIN_WIDTH, Math.min(640, innerWidth - 40)),
  mode: 'inline',
  locale: navigator.language,
  reducedMotion: false,
  isWritten: false,
  order: 'usual',
})

export function changeSettings(changed: Partial<ViewSettings>): void {
  viewSettings.set({ ...viewSettings.value, ...changed })
}

export const presetOf = ({ host }: ViewSettings): HostPreset =>
  HOST_PRESETS[host] ?? (HOST_PRESETS[0] as HostPreset)

/** What a view learns at its start alone: another value shows it again. */
export const startOf = ({ host, lacks, reducedMotion, isWritten, order }: ViewSettings): string =>
  JSON.stringify([host, lacks, reducedMotion, isWritten, order])

export const capabilitiesIn = ({ lacks }: ViewSettings): HostCapabilities =>
  capabilitiesOf(CAPABILITY_NAMES.filter((name) => !lacks.includes(name)))

const HEIGHTS = { fullscreen: MAX_HEIGHT, pip: 320 } as const

export function contextOf({ theme, width, mode, locale, lacks }: ViewSettings): HostContext {
  const height = mode === 'inline' ? { maxHeight: MAX_HEIGHT } : { height: HEIGHTS[mode] }
  return {
    theme,
    locale,
    displayMode: mode,
    availableDisplayModes: ['inline', ...DISPLAY_MODES.filter((each) => !lacks.includes(each))],
    containerDimensions: { width, ...height },
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: 'edgeway-inspector/1.0.0',
    platform: 'web',
  }
}
