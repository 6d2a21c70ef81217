"""Features of images against the specification, scikit-image, SciPy and shapes whose values are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from skimage.feature import graycomatrix, graycoprops
from skimage.filters import threshold_otsu
from skimage.measure import label, regionprops

from evalcore.features.synthetic import measure as images
from evalcore.features.synthetic.measure import ImageSettings

SMALL = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 2, 2], [2, 2, 3, 3]], np.uint8)
SAME_NAMES = ("contrast", "dissimilarity", "energy", "homogeneity", "correlation")


@pytest.fixture(scope="module")
def blobs():
    smooth = ndimage.gaussian_filter(np.random.default_rng(0).random((96, 80)), 3)
    return np.rint((smooth - smooth.min()) / np.ptp(smooth) * 255) / 255


def test_texture_of_the_specification(spec_golden, spec_extra):
    features = images.texture(SMALL / 4, levels=4, offset=1, angles=(0,))
    golden, more = spec_golden["E_glcm"], spec_extra["haralick"]
    expected = {
        **{name: golden[name] for name in SAME_NAMES},
        "asm": golden["ASM"],
        "texture_entropy": golden["entropy_bits"],
        "texture_variance": more["variance_sum_of_squares"],
        "sum_average": more["sum_average_index0"],
        "sum_entropy": more["sum_entropy_bits"],
        "difference_entropy": more["difference_entropy_bits"],
        **{name: more[name] for name in ("sum_variance", "difference_variance", "imc1", "imc2")},
    }
    assert set(features) == set(expected) == set(images.NAMES_TEXTURE)
    assert features == pytest.approx(expected, rel=1e-12)


def test_intensity_of_the_specification(spec_extra):
    golden = spec_extra["intensity"]
    features = images.intensity(SMALL / 255)
    for name in ("mean", "std", "p5", "p95"):
        assert features[name] * 255 == pytest.approx(golden["std_pop" if name == "std" else name])
    assert features["skewness"] == pytest.approx(golden["skew_pop"], rel=1e-10)
    assert features["kurtosis"] == pytest.approx(golden["kurt_excess"], rel=1e-10)
    assert features["entropy"] == pytest.approx(golden["entropy_bits"], rel=1e-12)


@pytest.mark.parametrize("angle", [0, 45, 90, 135])
@pytest.mark.parametrize("offset", [1, 3])
def test_texture_is_scikit_images(blobs, angle, offset):
    codes = np.minimum(blobs * 16, 15).astype(np.uint8)
    features = images.texture(blobs, levels=16, offset=offset, angles=(angle,))
    matrix = graycomatrix(codes, [offset], [np.deg2rad(angle)], levels=16, symmetric=True, normed=True)
    for name in (*SAME_NAMES, "ASM"):
        assert features[name.lower()] == pytest.approx(graycoprops(matrix, name)[0, 0], rel=1e-9)


def test_objects_are_scikit_images(blobs):
    features = images.objects(blobs)
    eight_bit = np.rint(blobs * 255).astype(np.uint8)
    regions = regionprops(label(eight_bit > threshold_otsu(eight_bit), connectivity=2))
    assert len(regions) > 3
    assert features["objects"] == len(regions)
    assert features["area"] == sum(region.area for region in regions)
    assert features["mean_area"] == pytest.approx(np.mean([region.area for region in regions]))
    radii = [region.equivalent_diameter_area / 2 for region in regions]
    assert features["mean_radius"] == pytest.approx(np.mean(radii))
    assert features["eccentricity"] == pytest.approx(np.mean([region.eccentricity for region in regions]))


def test_sharpness_of_a_slope_and_of_a_point():
    slope = np.tile(np.arange(10) / 20, (6, 1))
    features = images.sharpness(slope)
    # 0.05 a pixel inside, half of it in the two outer columns, where the image goes on level
    assert features["gradient"] == pytest.approx((8 * 0.05 + 2 * 0.025) / 10)
    point = np.zeros((7, 7))
    point[3, 3] = 1
    expected = ndimage.laplace(point, mode="nearest").var()
    assert images.sharpness(point)["laplacian"] == pytest.approx(expected)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_one_intensity_has_no_shape_and_no_correlation(value):
    row = images.measured(np.full((20, 20), value), ImageSettings())[0]
    features = dict(zip(images.NAMES, row, strict=True))
    shape = "skewness kurtosis correlation imc1 imc2 mean_area mean_radius eccentricity"
    assert {name for name, number in features.items() if np.isinf(number)} == set(shape.split())
    assert features["mean"] == pytest.approx(value)
    zero = ("std", "entropy", "objects", "area", "contrast", "texture_entropy", "gradient", "laplacian")
    assert [features[name] for name in zero] == pytest.approx([0.0] * len(zero), abs=1e-15)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2)])
def test_tiny_images_have_every_feature_they_can_have(shape):
    features = images.measured(np.random.default_rng(3).random(shape), ImageSettings())
    assert features.shape == (1, len(images.NAMES)) and not np.isnan(features).any()


def test_grey_stored_as_colour_is_grey_and_colour_has_three_channels(blobs):
    how = ImageSettings()
    grey = images.measured(blobs, how)
    np.testing.assert_array_equal(images.measured(np.dstack([blobs] * 3), how), grey)
    tinted = images.measured(np.dstack([blobs, blobs, blobs / 2]), how)
    assert len(tinted) == 3
    np.testing.assert_array_equal(tinted[:2], np.repeat(grey, 2, axis=0))
