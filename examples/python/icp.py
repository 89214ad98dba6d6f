"""Aligns a scan with a map: iterative closest points, from the nearest neighbours to the rigid motion."""

import kann
import numpy


def rigid_motion(source, target):
    """The rotation and translation that bring source points closest to their target points (Kabsch 1976)."""
    middle, goal = source.mean(0), target.mean(0)
    u, _, vt = numpy.linalg.svd((source - middle).T @ (target - goal))
    rotation = (u @ numpy.diag([1, 1, numpy.sign(numpy.linalg.det(u @ vt))]) @ vt).T
    return rotation, goal - rotation @ middle


def icp(index, scan, radius, steps=50):
    """Moves the scan onto the data of the index. Pairs that are farther apart than the radius are left out."""
    rotation, shift = numpy.eye(3), numpy.zeros(3)
    for _ in range(steps):
        moved = scan @ rotation.T + shift
        distances, ids = index.query(moved, k=1, radius=radius)
        paired = numpy.isfinite(distances)
        turn, move = rigid_motion(moved[paired], index.data[ids[paired]])
        rotation, shift = turn @ rotation, turn @ shift + move
        if numpy.linalg.norm(move) < 1e-6 and numpy.allclose(turn, numpy.eye(3), atol=1e-6):
            break
    return rotation, shift


random = numpy.random.default_rng(1)
ground = random.uniform((-20, -20, 0), (20, 20, 0), (30_000, 3))
ground[:, 2] = numpy.sin(ground[:, 0] / 3) + numpy.cos(ground[:, 1] / 4)
wall = random.uniform((-5, 6, -1), (9, 6, 4), (15_000, 3))
target = numpy.concatenate([ground, wall])

angle = numpy.radians(3)
turned = numpy.array([[numpy.cos(angle), -numpy.sin(angle), 0], [numpy.sin(angle), numpy.cos(angle), 0], [0, 0, 1]])
scan = target[::10] @ turned.T + (0.4, 0, 0)

rotation, shift = icp(kann.Index(target), scan, radius=2)
back = numpy.degrees(numpy.arccos((numpy.trace(rotation) - 1) / 2))
print(f"moved back by {numpy.linalg.norm(rotation.T @ shift):.2f} m and {back:.1f} degrees")
