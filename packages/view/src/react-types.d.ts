/** The part of React that the hook uses, so that its types are no dependency of the package. */
declare module 'react' {
  export function useSyncExternalStore<State>(
    watch: (listener: () => void) => () => void,
    read: () => State,
  ): State
}
