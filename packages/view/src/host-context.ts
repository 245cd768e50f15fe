/** What a host says of itself and of the place of the view. */
import { isObject, type Members, type Root, warn } from './frame.ts'

export type DisplayMode = 'inline' | 'fullscreen' | 'pip'

/** Every member is optional: a host says what it knows. Members that are not in this list are passed on, too. */
export interface HostContext {
  /** The call that the view belongs to. */
  readonly toolInfo?: {
    readonly id?: string | number
    readonly tool: { readonly name: string; readonly [member: string]: unknown }
  }
  readonly theme?: 'light' | 'dark'
  /** CSS variables, which `connectView` sets on the root element, and rules of fonts. */
  readonly styles?: {
    readonly variables?: { readonly [name: string]: string | undefined }
    readonly css?: { readonly fonts?: string }
  }
  readonly displayMode?: DisplayMode
  readonly availableDisplayModes?: readonly DisplayMode[]
  /** In pixels. A fixed size, or the largest one that the view may take. */
  readonly containerDimensions?: (
    | { readonly height: number }
    | { readonly maxHeight?: number | undefined }
  ) &
    ({ readonly width: number } | { readonly maxWidth?: number | undefined })
  /** BCP 47, such as `de-CH`. */
  readonly locale?: string
  /** IANA, such as `Europe/Zurich`. */
  readonly timeZone?: string
  readonly userAgent?: string
  readonly platform?: 'web' | 'desktop' | 'mobile'
  readonly deviceCapabilities?: { readonly touch?: boolean; readonly hover?: boolean }
  /** In pixels. */
  readonly safeAreaInsets?: {
    readonly top: number
    readonly right: number
    readonly bottom: number
    readonly left: number
  }
}

type ContentKinds = {
  readonly [Kind in
    | 'text'
    | 'image'
    | 'audio'
    | 'resource'
    | 'resourceLink'
    | 'structuredContent']?: object
}

/** What the host answers. A view hides what it lacks. */
export interface HostCapabilities {
  readonly experimental?: { readonly [name: string]: object }
  readonly openLinks?: object
  readonly downloadFile?: object
  readonly serverTools?: { readonly listChanged?: boolean }
  readonly serverResources?: { readonly listChanged?: boolean }
  readonly logging?: object
  readonly sandbox?: {
    readonly permissions?: {
      readonly [Name in 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite']?: object
    }
    readonly csp?: {
      readonly [Name in
        | 'connectDomains'
        | 'resourceDomains'
        | 'frameDomains'
        | 'baseUriDomains']?: readonly string[]
    }
  }
  readonly updateModelContext?: ContentKinds
  readonly message?: ContentKinds
  readonly sampling?: { readonly tools?: object }
}

type Check = (value: unknown) => boolean

const DISPLAY_MODES: readonly unknown[] = ['inline', 'fullscreen', 'pip'] satisfies DisplayMode[]

export function isDisplayMode(value: unknown): value is DisplayMode {
  return DISPLAY_MODES.includes(value)
}

const isText: Check = (value) => typeof value === 'string'
const isIn =
  (...names: readonly string[]): Check =>
  (value) =>
    names.includes(value as string)
const hasNumbers = (value: unknown) =>
  isObject(value) &&
  Object.values(value).every((size) => size === undefined || Number.isFinite(size))

const CHECKS: { readonly [Name in keyof HostContext]-?: Check } = {
  toolInfo: (value) => isObject(value) && isObject(value.tool) && isText(value.tool.name),
  theme: isIn('light', 'dark'),
  styles: (value) =>
    isObject(value) && isObject(value.variables ?? {}) && isObject(value.css ?? {}),
  displayMode: isDisplayMode,
  availableDisplayModes: (value) => Array.isArray(value) && value.every(isDisplayMode),
  containerDimensions: hasNumbers,
  locale: isText,
  timeZone: isText,
  userAgent: isText,
  platform: isIn('web', 'desktop', 'mobile'),
  deviceCapabilities: isObject,
  safeAreaInsets: (value) =>
    hasNumbers(value) &&
    ['top', 'right', 'bottom', 'left'].every((side) => side in (value as object)),
}

/** The context without its malformed members, which the console names. */
export function checkedContext(context: unknown): HostContext {
  if (!isObject(context)) {
    if (context !== undefined) warn('The host context is no object', context)
    return {}
  }
  const isSound = ([name, value]: readonly [string, unknown]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof HostContext] : undefined
    if (check === undefined || value === undefined || check(value)) return true
    warn(`${name} of the host context is malformed`, value)
    return false
  }
  return Object.fromEntries(Object.entries(context as Members).filter(isSound))
}

/** Sets the theme and the variables of the host on the root element. */
export function applyStyles(root: Root, { theme, styles }: HostContext): void {
  if (theme !== undefined) {
    root.style.colorScheme = theme
    root.setAttribute('data-theme', theme)
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
  }
}
