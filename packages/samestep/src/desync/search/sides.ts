/** One thing per machine of two that are compared: that of the reference first. */
export type Sides<T> = readonly [T, T]
