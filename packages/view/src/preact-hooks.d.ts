/** The part of Preact that the hook uses. Its own types bring those of a DOM, which contradict those of Workers. */
export function useState<State>(initial: State): [State, (state: State) => void]
export function useEffect(effect: () => () => void, inputs: readonly unknown[]): void
