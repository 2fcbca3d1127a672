/** How long a dial may take: what a slow phone needs for DNS, TCP, TLS and the upgrade, and more. */
export const connectTimeoutMsDefault = 10_000

/** How long a farewell may take before a connection is given up. A silent path answers nothing. */
export const closeTimeoutMs = 3_000
