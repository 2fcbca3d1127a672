/** The library's version, as snapshots name it for people. A test holds it to package.json. */
export const engineVersion = 'samestep 0.1.0'
